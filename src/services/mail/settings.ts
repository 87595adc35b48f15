import { DAY, duration, host, HOUR } from '../../config/kinds.ts';
import { set, unset } from '../../config/option.ts';

export const mailSettings = {
  domain: unset(
    'domain',
    host,
    'Domain of the addresses of members, as in name@domain; the host name of the machine if it is not set',
  ),
  expiryMs: set(
    'expiry',
    duration(HOUR, 30 * DAY),
    '5d',
    'How long a message to another node is tried before its delivery fails',
  ),
};
