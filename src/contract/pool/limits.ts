/** Limits of join requests and the access list; lengths are in characters. */
export const poolLimits = {
  /** the node's message to the administrator who decides */
  message: 500,
  /** the reason of a denial */
  reason: 500,
  address: 300,
  administrators: 100,
} as const;
