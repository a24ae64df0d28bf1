% K = SPA(X, r): the successive projection algorithm (Gillis and Vavasis 2014), as a drop-in.
%
% Columns are scaled to sum 1 first; SPA(X, r, 0) takes them as they are. K counts from 1.
function K = SPA(X, r, normalize)
  plain = nargin > 2 && ~normalize;
  K = conehull_anchors(X, r, 'method', 'spa', 'plain', double(plain), 'select_only', 1);
end
