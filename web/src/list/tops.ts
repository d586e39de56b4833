// What features show above the rows of the list.
export interface ListTop {
  element: string;
  load: () => Promise<unknown>;
  /** Who is shown it. */
  isOpen: () => boolean;
}

export const LIST_TOPS: ListTop[] = [];
