import type { EntryType } from '../../../../contract/passvault/entry.ts';

export interface Category {
  readonly name: string;
  /** The type of the entry; see `typeIn`. */
  readonly type: EntryType;
  /** The type says everything. For other categories the name is kept as a field. */
  readonly plain?: true;
  /** Ids of the section fields that hold the login, best first. */
  readonly login?: LoginFields;
}

export interface LoginFields {
  readonly username: readonly string[];
  readonly password: readonly string[];
  readonly url: readonly string[];
}

const login = (password: readonly string[], username = ['username'], url = ['url', 'hostname']): LoginFields => ({
  username,
  password,
  url,
});

/** Categories by their codes in a 1PUX. The CSV exports use the names. */
const CATEGORIES: Readonly<Record<string, Category>> = {
  '001': { name: 'Login', type: 'login', plain: true },
  '002': { name: 'Credit Card', type: 'credit_card', plain: true },
  '003': { name: 'Secure Note', type: 'secure_note', plain: true },
  '004': { name: 'Identity', type: 'secure_note' },
  '005': { name: 'Password', type: 'login', plain: true },
  '006': { name: 'Document', type: 'secure_note' },
  '100': { name: 'Software License', type: 'secure_note' },
  '101': { name: 'Bank Account', type: 'secure_note' },
  '102': { name: 'Database', type: 'login', login: login(['password'], ['username'], ['hostname']) },
  '103': { name: 'Driver License', type: 'secure_note' },
  '104': { name: 'Outdoor License', type: 'secure_note' },
  '105': { name: 'Membership', type: 'secure_note' },
  '106': { name: 'Passport', type: 'secure_note' },
  '107': { name: 'Reward Program', type: 'secure_note' },
  '108': { name: 'Social Security Number', type: 'secure_note' },
  '109': {
    name: 'Wireless Router',
    type: 'login',
    login: login(['password', 'wireless_password'], ['username', 'network_name'], ['server']),
  },
  '110': { name: 'Server', type: 'login', login: login(['password']) },
  '111': { name: 'Email Account', type: 'secure_note' },
  '112': { name: 'API Credential', type: 'login', login: login(['credential', 'password']) },
  '113': { name: 'Medical Record', type: 'secure_note' },
  '114': { name: 'SSH Key', type: 'secure_note' },
  '115': { name: 'Crypto Wallet', type: 'secure_note' },
};

export function categoryOf(code: string | undefined): Category | undefined {
  if (code === undefined) return undefined;
  return Object.hasOwn(CATEGORIES, code) ? CATEGORIES[code] : { name: code, type: 'secure_note' };
}

/** An item of a login category without login fields becomes a note. */
export function typeIn({ type, login: fields }: Category, canLogIn: boolean): EntryType {
  return fields !== undefined && !canLogIn ? 'secure_note' : type;
}

/** Undefined for a translated name, or one of a later version. */
export function categoryNamed(name: string): Category | undefined {
  const wanted = name.trim().toLowerCase();
  return Object.values(CATEGORIES).find((category) => category.name.toLowerCase() === wanted);
}
