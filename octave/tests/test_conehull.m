% Tests of the functions for Octave: run in a folder with them on the path; an error is a failure.
1;

% Successive projection, written out.
function K = plain_spa(X, r)
  R = X ./ sum(X);
  K = zeros(1, r);
  for k = 1:r
    [~, K(k)] = max(sum(R .^ 2));
    u = R(:, K(k)) / norm(R(:, K(k)));
    R = R - u * (u' * R);
  end
end

% XRAY with rule max and least squares, written out by lsqnonneg.
function K = plain_xray(X, r)
  K = [];
  R = X;
  p = ones(1, rows(X));
  for k = 1:r
    [~, exterior] = max(sum(R .^ 2));
    score = (R(:, exterior)' * X) ./ (p * X);
    score(K) = -inf;
    [~, K(k)] = max(score);
    for j = 1:columns(X)
      R(:, j) = X(:, j) - X(:, K) * lsqnonneg(X(:, K), X(:, j));
    end
  end
end

% The paper's generator: r anchors, mixtures of all of them, scales, a little noise.
function X = planted(m, r, n, noise)
  W = rand(m, r);
  H = -log(rand(r, n));
  X = [W, W * (H ./ sum(H))];
  X = X(:, randperm(columns(X))) + noise * rand(m, columns(X));
end

function refused(call, part)
  try
    call();
  catch problem
    assert(~isempty(strfind(problem.message, part)), 'the message is: %s', problem.message);
    return
  end
  error('it was not refused: %s', part);
end

rand('twister', 3);
for trial = 1:30
  X = planted(40, 6, 60, 0.02);
  assert(SPA(X, 6), plain_spa(X, 6));
  assert(XRAY(X, 4), plain_xray(X, 4));
end

X = planted(30, 5, 40, 0);
[K, H, result] = conehull_anchors(X, 5);
assert(norm(X - X(:, K) * H, 1) < 1e-9);
assert(result.certificate_gap <= 1e-9 && result.unproven == 0);
[ok, why] = conehull_verify(X, result);
assert(ok && isempty(why));
assert(conehull_project(X, result), H);
assert(conehull_project(X, X(:, K), 'loss', 'l2'), H, 1e-6);

% A forged weight, a forged anchor, another loss: refused with a reason.
forged = result;
forged.H(1, 1) += 0.1;
[ok, why] = conehull_verify(X, forged);
assert(~ok && ~isempty(why));
forged = result;
forged.anchors(1) = mod(forged.anchors(1) + 1, columns(X));
assert(~conehull_verify(X, forged));
forged = result;
forged.settings.loss = 'kl';
try
  assert(~conehull_verify(X, forged));
catch problem % refused before it was looked at
  assert(strncmp(problem.message, 'conehull:', 9));
end

% Types and sparse matrices.
Z = round(255 * planted(20, 4, 30, 0.1) / 2);
Z(Z < 40) = 0;
for loss = {'l1', 'l2', 'kl'}
  full_K = conehull_anchors(Z, 4, 'loss', loss{1});
  assert(conehull_anchors(sparse(Z), 4, 'loss', loss{1}), full_K);
  assert(conehull_anchors(uint8(Z), 4, 'loss', loss{1}), full_K);
  assert(conehull_anchors(uint16(Z), 4, 'loss', loss{1}), full_K);
  assert(conehull_anchors(single(Z), 4, 'loss', loss{1}), full_K);
  assert(conehull_anchors(Z, 4, 'loss', loss{1}, 'threads', 1), full_K);
end
K = conehull_anchors(Z, 4, 'keep', [7, 2]);
assert(K(1:2), [7, 2]);

% Hulls, quantiles, refined factors, weights, missing entries and known components, each verified.
for settings = {{'hull', 'convex'}, {'loss', 'quantile', 'quantile', 0.3}, {'loss', 'l2', 'refine', 2}, ...
                {'row_weights', [2, ones(1, 29)]}, {'column_weights', [zeros(1, 3), ones(1, 42)]}}
  [K, H, result] = conehull_anchors(X, 5, settings{1}{:});
  [ok, why] = conehull_verify(X, result);
  assert(ok, why);
end
assert(isempty(intersect(K, 1:3)));
[~, ~, result] = conehull_anchors(X, 5, 'loss', 'l2', 'refine', 2);
assert(size(result.refined_W), [30, 5]);
assert(result.refined_objective <= result.objective + 1e-12);
gone = X;
gone(3, 7) = NaN;
gone(9, 20) = NaN;
[~, H, result] = conehull_anchors(gone, 5, 'missing', 'nan');
assert(result.unknown == 2 && conehull_verify(gone, result));
known = ones(30, 45);
known(3, 7) = known(9, 20) = 0;
[~, same] = conehull_anchors(X, 5, 'observed', known);
assert(same, H);
[~, same] = conehull_anchors(X, 5, 'observed', sparse(known));
assert(same, H);
[~, same] = conehull_anchors(X, 5, 'weights', known);
assert(same, H, 1e-9);
library = X(:, [11, 4]) * 3;
[K, ~, result] = conehull_anchors(X, 5, 'library', library);
assert(K(1:2), [46, 47]);
assert(result.W(:, 1), library(:, 1));
assert(conehull_verify(X, result));
forged = result;
forged.settings.library = library + 1;
assert(~conehull_verify(X, forged));
K = conehull_anchors(X, 1, 'library', library, 'library_only', 1);
assert(K > 45);
refused(@() conehull_anchors(X, 5, 'row_weights', [1, 2]), 'row_weights');
refused(@() conehull_anchors(X, 5, 'library', 'text'), 'library must be');

% A picture: maps have its shape and sum to at most 1.
cube = reshape(planted(12, 3, 57, 0)', [6, 10, 12]);
[E, A, where] = conehull_unmix(cube, 3);
assert(size(A), [6, 10, 3]);
assert(all(sum(A, 3)(:) <= 1 + 1e-9));
assert(squeeze(cube(where(2, 1), where(2, 2), :)), E(:, 2));

refused(@() conehull_anchors(-X, 3), 'negative');
refused(@() conehull_anchors(X, 3, 'loss', 'nope'), 'nope');
refused(@() conehull_anchors(X, 3, 'lost', 1), 'there is no setting');
refused(@() conehull_anchors(X, 1000), '1000');
refused(@() conehull_anchors(nan(3), 2), 'NaN');
refused(@() conehull_anchors('text', 2), 'must be');
refused(@() conehull_anchors(X + 1i, 2), 'real');
refused(@() conehull_anchors(X), 'how many');
refused(@() conehull_verify(X, struct('settings', struct())), 'no result');
refused(@() conehull_project(X, ones(2)), 'rows');
printf('1 passed, 0 failed\n');
