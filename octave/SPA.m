% K = SPA(X, r)
%
% Selects r columns of X by the successive projection algorithm (Gillis and Vavasis 2014). The
% function can replace SPA.m by these authors. K holds column numbers, counted from 1. Columns are
% first scaled to sum 1; SPA(X, r, 0) does not scale them.
function K = SPA(X, r, normalize)
  plain = nargin > 2 && ~normalize;
  K = conehull_anchors(X, r, 'method', 'spa', 'plain', double(plain), 'select_only', 1);
end
