import { DAY, duration, MINUTE, onOff, WrongValue, type Kind } from '../../config/kinds.ts';
import { set, unset } from '../../config/option.ts';

/** RFC 8292, 2.1. */
const contact: Kind<string> = {
  parse(raw) {
    const wanted = 'must be a mailto: or https: URL of at most 200 characters';
    if (typeof raw !== 'string' || raw.length > 200 || !/^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/.test(raw))
      throw new WrongValue(wanted);
    return raw;
  },
  show: String,
};

export const notificationSettings = {
  push: set(
    'push',
    onOff,
    'on',
    'Send push messages to browsers that members subscribed, over the push services of the browsers',
  ),
  pushContact: unset(
    'push_contact',
    contact,
    'Where push services can reach the operator of the node: a mailto: or https: URL; some services want one',
  ),
  email: set('email', onOff, 'on', 'Put digests of unread notifications into the mailboxes of members'),
  digestMs: set(
    'digest',
    duration(MINUTE, 30 * DAY),
    '1h',
    'How long unread notifications are collected for a digest; a member gets at most one in this time',
  ),
};
