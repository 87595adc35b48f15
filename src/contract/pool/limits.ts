/** Limits of join requests and the access list; lengths are in characters. */
export const poolLimits = {
  /** the node's message to the administrator who decides */
  message: 500,
  /** the reason of a denial */
  reason: 500,
  address: 300,
  administrators: 100,
  /** characters of a join token */
  token: 300,
  /** how often a join token can be used */
  tokenUses: 1_000,
  /** how long a join token is valid, in days */
  tokenDays: 30,
} as const;
