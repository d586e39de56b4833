// The order of the list's columns, as a person puts it.

/** The keys after `key` has changed places with the shown one before (-1) or after it (1); those that are not shown stay, at the end. */
export function moved(keys: string[], shown: string[], key: string, step: -1 | 1): string[] {
  const order = [...shown];
  const from = order.indexOf(key);
  const to = from + step;
  if (from >= 0 && to >= 0 && to < order.length) [order[from], order[to]] = [order[to], order[from]];
  return [...order, ...keys.filter((one) => !shown.includes(one))];
}
