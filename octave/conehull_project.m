% [H, info] = conehull_project(X, W, name, value, ...)
%
% Computes weights H >= 0 with which W * H explains X best, column by column, under the setting
% 'loss' (default 'l1'). W is a matrix, or the third output of conehull_anchors; in the second case
% its settings are used. info holds the objective, the largest gap of a column (gap) and the number
% of columns whose gap is above the tolerance (unproven).
function [H, info] = conehull_project(X, W, varargin)
  settings = struct();
  if isstruct(W)
    settings = W.settings;
    settings.floor = sprintf('%.17g', W.floor);
    W = W.W;
  end
  given = conehull_settings(varargin);
  names = fieldnames(given);
  for k = 1:numel(names)
    settings.(names{k}) = given.(names{k});
  end
  [~, arrays] = conehull_mex('settings');
  names = [{'keep', 'library_only'}, arrays([arrays{:, 2}], 1)']; % what belongs to the columns of the run
  for k = 1:numel(names)
    if isfield(settings, names{k}) && ~isfield(given, names{k})
      settings = rmfield(settings, names{k});
    end
  end
  [H, info] = conehull_mex('project', X, W, settings);
end
