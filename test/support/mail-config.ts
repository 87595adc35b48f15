import type { Config } from '../../src/config/config.ts';

const mail: Config['mail'] = {
  domain: 'home.example',
  expiryMs: 5 * 24 * 3_600_000,
  relayHost: undefined,
  relayPort: 587,
  relayTls: 'starttls',
  relayUser: undefined,
  relayPasswordFile: undefined,
  relayPerDay: 1_000,
};

/** The mail domain of nodes in tests. */
export const config = { mail };
