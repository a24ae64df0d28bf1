% K = XRAY(X, r)
%
% Selects r columns of X by XRAY with the exterior rule max and least squares (Kumar, Sindhwani and
% Kambadur 2013). XRAY(X, r, 'l1') is RobustXray. K holds column numbers, counted from 1.
function K = XRAY(X, r, loss)
  if nargin < 3
    loss = 'l2';
  end
  K = conehull_anchors(X, r, 'loss', loss, 'exterior', 'max', 'first', 'paper', 'select_only', 1);
end
