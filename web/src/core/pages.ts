// Lists that grow at the top while further pages of them are shown.

/** Those of the shown entries that go on below the newest page; none where entries between them are missing. */
export function olderOf<T extends { id: number }>(shown: T[], newest: T[]): T[] {
  const last = newest.at(-1);
  if (!last || !shown.some(({ id }) => id >= last.id)) return [];
  return shown.filter(({ id }) => id < last.id);
}
