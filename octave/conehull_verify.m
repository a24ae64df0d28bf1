% [ok, why, gap] = conehull_verify(X, result)
%
% Checks the third output of conehull_anchors, from X and the settings alone: the fit of every column
% is optimal to the tolerance, every anchor was a valid choice, and every number follows from X. ok
% is true if all checks pass; otherwise why describes the first error. gap is the largest gap of a
% column.
function [ok, why, gap] = conehull_verify(X, result)
  if ~isstruct(result) || ~isfield(result, 'settings')
    error('conehull:usage', 'conehull_verify: the second argument must be the third output of conehull_anchors');
  end
  [ok, why, gap] = conehull_mex('verify', X, result, result.settings);
end
