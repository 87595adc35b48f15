import type { Db } from '../store/database.ts';

/** What makes usernames equal: their case doesn't count. */
export function usernameKey(username: string): string {
  return username.toLowerCase();
}

/** What makes e-mail addresses equal: neither case nor the way that accents were composed counts. */
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
