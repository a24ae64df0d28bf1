% [K, H, result] = conehull_anchors(X, r, name, value, ...)
%
% The r columns K of X whose non-negative combinations explain all others, X ~ X(:, K) * H, and H.
% A data point is a column. X is double, single, uint8 or uint16, full or (double) sparse.
%
% Settings are those of 'conehull anchors': 'loss' ('l1', 'l2', 'kl', 'is', ...), 'method'
% ('xray', 'spa', ...), 'hull' ('cone', 'convex', 'convex0'), 'negative' ('refuse', 'clip'),
% 'select_only', 'keep' (columns, from 1), 'threads', ...; an unknown name lists them all.
% r = 0 leaves the number to the data.
%
% What is trusted: 'row_weights' and 'column_weights' (vectors), 'weights' and 'observed' (matrices
% of the shape of X; 0 is not known), 'missing', 'nan' for X with NaN. 'library' is a matrix of known
% components, which are the first anchors: K(i) = columns(X) + k is its column k.
%
% result has all that the run found (objective, max_residual, certificate_gap, W, ...);
% conehull_verify checks it without believing it.
%
%   X = rand(50, 5) * [eye(5), rand(5, 200)];
%   K = conehull_anchors(X, 5)
function [K, H, result] = conehull_anchors(X, r, varargin)
  if nargin < 2
    error('conehull:usage', 'conehull_anchors: how many columns? conehull_anchors(X, r)');
  end
  settings = conehull_settings(varargin);
  settings.rank = sprintf('%d', r);
  [result, status] = conehull_mex('anchors', X, settings);
  result.settings = settings;
  result.status = status;
  K = double(result.anchors') + 1;
  H = result.H;
end
