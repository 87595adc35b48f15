export const pageLimits = {
  /** characters of a cursor, which contains the sort values of a list */
  cursor: 2_048,
  /** things on a page, if neither the request nor the list sets a number */
  size: 20,
} as const;
