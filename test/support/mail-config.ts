/** The mail domain of nodes in tests. */
export const config = { mail: { domain: 'home.example', expiryMs: 5 * 24 * 3_600_000 } };
