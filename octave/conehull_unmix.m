% [E, A, K, result] = conehull_unmix(cube, r, name, value, ...)
%
% Finds endmembers E (bands x r) and abundance maps A (lines x samples x r) of a cube, which is a
% picture with a spectrum in every pixel (lines x samples x bands). K holds the line and the sample
% of each endmember (r x 2), counted from 1. Settings are those of conehull_anchors, with these
% defaults: 'loss' is 'l1', 'hull' is 'convex0' (abundances sum to at most 1), and 'negative' is
% 'clip' (values below zero count as zero).
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
