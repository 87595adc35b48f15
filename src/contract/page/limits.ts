export const pageLimits = {
  /** characters of a cursor: it carries what a list is sorted by */
  cursor: 2_048,
  /** things on a page, where neither the request nor the list says how many */
  size: 20,
} as const;
