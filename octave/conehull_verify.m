% [ok, why, gap] = conehull_verify(X, result)
%
% Checks what conehull_anchors returned as its third output, believing nothing but X and the
% settings: every column's fit is optimal to the tolerance, every anchor was a legal choice, and
% every number follows from X. why says what does not hold.
function [ok, why, gap] = conehull_verify(X, result)
  if ~isstruct(result) || ~isfield(result, 'settings')
    error('conehull:usage', 'conehull_verify: the second argument is the third output of conehull_anchors');
  end
  [ok, why, gap] = conehull_mex('verify', X, result, result.settings);
end
