/** What requests to join and the access list hold at most; lengths are in characters. */
export const poolLimits = {
  /** what a node says to the administrator who decides */
  message: 500,
  /** why it was denied */
  reason: 500,
  address: 300,
  administrators: 100,
} as const;
