% [K, H, result] = conehull_anchors(X, r, name, value, ...)
%
% Finds r columns of X, the anchors, whose non-negative combinations explain all other columns:
% X ~ X(:, K) * H. K holds the column numbers, counted from 1, and H the weights. A data point is a
% column. X is full (double, single, uint8 or uint16) or sparse (double).
%
% Settings are those of 'conehull anchors': 'loss' ('l1', 'l2', 'kl', 'is', ...), 'method'
% ('xray', 'spa', ...), 'hull' ('cone', 'convex', 'convex0'), 'negative' ('refuse', 'clip'),
% 'select_only', 'keep' (columns, from 1), 'threads', ...; the error message of an unknown name
% lists all settings. With r = 0 the method chooses the number of anchors.
%
% 'row_weights' and 'column_weights' are vectors of weights. 'weights' and 'observed' are matrices of
% the shape of X, in which 0 marks an unknown entry. If X contains NaN for unknown entries, pass
% 'missing', 'nan'. 'library' is a matrix of known components, which become the first anchors;
% K(i) = columns(X) + k means column k of the library.
%
% result holds everything that the run found (objective, max_residual, certificate_gap, W, ...);
% conehull_verify checks it.
%
%   X = rand(50, 5) * [eye(5), rand(5, 200)];
%   K = conehull_anchors(X, 5)
function [K, H, result] = conehull_anchors(X, r, varargin)
  if nargin < 2
    error('conehull:usage', 'conehull_anchors: the number of anchors r is missing; call conehull_anchors(X, r)');
  end
  settings = conehull_settings(varargin);
  settings.rank = sprintf('%d', r);
  [result, status] = conehull_mex('anchors', X, settings);
  result.settings = settings;
  result.status = status;
  K = double(result.anchors') + 1;
  H = result.H;
end
