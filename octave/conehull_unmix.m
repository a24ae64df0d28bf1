% [E, A, K, result] = conehull_unmix(cube, r, name, value, ...)
%
% Endmembers E (bands x r) and abundance maps A (lines x samples x r) of a picture with a spectrum
% in every pixel (lines x samples x bands). K has the line and sample of each endmember (r x 2).
% Defaults are those of 'conehull unmix': loss l1, weights that sum to at most 1 (shade), values
% below zero count as zero; settings as for conehull_anchors change them.
function [E, A, K, result] = conehull_unmix(cube, r, varargin)
  [lines, samples, bands] = size(cube);
  X = reshape(cube, lines * samples, bands)';
  settings = [{'loss', 'l1', 'hull', 'convex0', 'negative', 'clip'}, varargin];
  [pixels, H, result] = conehull_anchors(X, r, settings{:});
  E = result.W;
  A = reshape(H', lines, samples, numel(pixels));
  [line, sample] = ind2sub([lines, samples], pixels(:));
  K = [line, sample];
end
