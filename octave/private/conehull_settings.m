% Settings as texts, by the names that the library knows: an error names what it does not know.
function settings = conehull_settings(given)
  [known, arrays] = conehull_mex('settings');
  known = strrep(known, '-', '_');
  settings = struct();
  if mod(numel(given), 2) ~= 0
    error('conehull:usage', 'conehull: settings must be pairs of a name and a value, as in ''loss'', ''kl''');
  end
  for k = 1:2:numel(given)
    name = given{k};
    value = given{k + 1};
    if ~ischar(name)
      error('conehull:usage', 'conehull: the name of a setting must be a string');
    elseif strcmp(name, 'keep')
      settings.keep = int64(value(:)) - 1;
    elseif strcmp(name, 'threads')
      settings.threads = double(value);
    elseif any(strcmp(name, arrays(:, 1)))
      settings.(name) = value;
    elseif ~any(strcmp(name, known(:, 1)))
      error('conehull:usage', 'conehull: there is no setting ''%s''; there are: %s', name, strjoin(sort([known(:, 1); arrays(:, 1); {'keep'; 'threads'}])', ', '));
    elseif ischar(value)
      settings.(name) = value;
    elseif isscalar(value)
      settings.(name) = sprintf('%.17g', double(value));
    else
      error('conehull:usage', 'conehull: setting ''%s'' takes a text or a number', name);
    end
  end
end
