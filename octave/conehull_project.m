% [H, info] = conehull_project(X, W, name, value, ...)
%
% H >= 0 such that W * H explains X, column by column, under the loss that is asked for ('loss',
% default 'l1'). W is a matrix, or the third output of conehull_anchors, whose settings are then
% taken over. info has objective, gap (of the worst column, proven) and unproven (columns).
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
