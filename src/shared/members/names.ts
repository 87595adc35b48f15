import type { Db } from '../../platform/store/database.ts';

/** The key of a username: names that differ only in case are equal. */
export function usernameKey(username: string): string {
  return username.toLowerCase();
}

/** The key of the username that a local part is for: what follows a plus sign is for its owner to sort by (RFC 5233). */
export function usernameIn(localPart: string): string {
  const plus = localPart.indexOf('+');
  return usernameKey(plus > 0 ? localPart.slice(0, plus) : localPart);
}

/** The key of an e-mail address: addresses that differ only in case or Unicode composition are equal. */
export function emailKey(email: string): string {
  return email.normalize('NFC').toLowerCase();
}

/** A name to sign in with is an e-mail address when it has an @, which usernames never have. */
export function selectMemberByName(db: Db, name: string) {
  const members = db.selectFrom('members as m');
  return name.includes('@')
    ? members.where('m.email_key', '=', emailKey(name))
    : members.where('m.username_key', '=', usernameKey(name));
}
