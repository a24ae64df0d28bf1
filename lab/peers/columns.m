% Non-negative fits per column by Octave, on the matrices of a run of run_peers.py:
%
%     min_b  sum_i ( x_i - (A b)_i )^2    lsqnonneg (an active set method)
%     min_b  sum_i | x_i - (A b)_i |      glpk: 1's with -s <= x - A b <= s            both subject to b >= 0
%
%     octave-cli --no-init-file lab/peers/columns.m lsqnonneg|glpk A.csv X.csv      prints a JSON object
%
% Both are part of Octave itself (package octave, optional).
1;

function b = least_absolute (A, x)
  [rows, rank] = size (A);
  cost = [zeros(rank, 1); ones(rows, 1)];
  whole = [A, -speye(rows); -A, -speye(rows)];
  answer = glpk (cost, whole, [x; -x], zeros (rank + rows, 1), [], repmat ("U", 1, 2 * rows), ...
                 repmat ("C", 1, rank + rows), 1);
  b = answer(1:rank);
endfunction

words = argv ();
peer = words{1};
A = csvread (words{2});
X = csvread (words{3});
B = zeros (columns (A), columns (X));
start = tic ();
for j = 1:columns (X)
  if (strcmp (peer, "glpk"))
    B(:, j) = least_absolute (A, X(:, j));
  else
    B(:, j) = lsqnonneg (A, X(:, j));
  endif
endfor
seconds = toc (start);
R = X - A * B;
if (strcmp (peer, "glpk"))
  loss = sum (abs (R(:)));
else
  loss = sum (R(:) .^ 2);
endif
printf ('{"peer": "Octave %s %s", "seconds": %.6g, "what": "loss", "quality": %.10g, "note": "%.0f us per column"}\n', ...
        version (), peer, seconds, loss, 1e6 * seconds / columns (X));
