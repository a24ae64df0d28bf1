% K = XRAY(X, r): XRAY with exterior rule max and least squares (Kumar, Sindhwani and Kambadur
% 2013), as a drop-in. K counts from 1. XRAY(X, r, 'l1') is RobustXray.
function K = XRAY(X, r, loss)
  if nargin < 3
    loss = 'l2';
  end
  K = conehull_anchors(X, r, 'loss', loss, 'exterior', 'max', 'first', 'paper', 'select_only', 1);
end
