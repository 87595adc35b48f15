/** Rate limits. */
export const calendarRates = {
  calendarChange: {
    key: 'calendar_change',
    perAccount: { rate: '1200/5m', text: 'Changes of calendars and events by one member' },
  },
  calendarSharing: {
    key: 'calendar_sharing',
    perAccount: { rate: '120/1h', text: 'Shares and links of calendars that one member makes' },
  },
  calendarLink: {
    key: 'calendar_link',
    perAddress: { rate: '300/5m', text: 'Reads of calendars by their secret addresses, from one address' },
  },
  calendarBooking: {
    key: 'calendar_booking',
    perAddress: { rate: '10/1h', text: 'Bookings from one address; of IPv6, from one network (/64)' },
  },
  calendarSlots: {
    key: 'calendar_slots',
    perAddress: { rate: '300/5m', text: 'Requests for booking pages and their times from one address' },
  },
  calendarInviting: {
    key: 'calendar_inviting',
    perAccount: { rate: '2000/24h', text: 'Invitations that one member sends, and answers to those of others' },
  },
  calendarImport: {
    key: 'calendar_import',
    perAccount: { rate: '60/1h', text: 'Files that one member imports into calendars' },
  },
} as const;

const MEBIBYTE = 1024 ** 2;

/** What a member may do with a calendar, the most first. */
export const permissions = ['owner', 'editor', 'viewer', 'freebusy'] as const;
export type Permission = (typeof permissions)[number];

/** What others can be given. */
export const grantable = ['editor', 'viewer', 'freebusy'] as const;
export type Grantable = (typeof grantable)[number];

export const visibilities = ['PUBLIC', 'PRIVATE', 'CONFIDENTIAL'] as const;
export type Visibility = (typeof visibilities)[number];

export const transparencies = ['OPAQUE', 'TRANSPARENT'] as const;
export type Transparency = (typeof transparencies)[number];

export const eventStatuses = ['CONFIRMED', 'TENTATIVE', 'CANCELLED'] as const;
export type EventStatus = (typeof eventStatuses)[number];

export const attendeeRoles = ['CHAIR', 'REQ-PARTICIPANT', 'OPT-PARTICIPANT', 'NON-PARTICIPANT'] as const;
export type AttendeeRole = (typeof attendeeRoles)[number];

export const partstats = ['NEEDS-ACTION', 'ACCEPTED', 'DECLINED', 'TENTATIVE', 'DELEGATED'] as const;
export type Partstat = (typeof partstats)[number];

/** What keeps time from being free, the strongest first. */
export const busyTypes = ['BUSY-UNAVAILABLE', 'BUSY', 'BUSY-TENTATIVE'] as const;
export type BusyType = (typeof busyTypes)[number];

/** What became of an invitation. */
export const invitationStatuses = ['pending', 'accepted', 'tentative', 'declined', 'cancelled'] as const;
export type InvitationStatus = (typeof invitationStatuses)[number];

/** What became of another time that an attendee proposes. */
export const proposalStatuses = ['pending', 'accepted', 'declined'] as const;
export type ProposalStatus = (typeof proposalStatuses)[number];

/** Which events of a series a change is for. */
export const modificationModes = ['single', 'thisAndFuture', 'all'] as const;
export type ModificationMode = (typeof modificationModes)[number];

/** How much a secret address of a calendar shows. */
export const linkDetails = ['viewer', 'freebusy'] as const;
export type LinkDetail = (typeof linkDetails)[number];

/** What is known of the address that a calendar follows. */
export const subscriptionStates = ['pending', 'current', 'failing', 'off'] as const;
export type SubscriptionState = (typeof subscriptionStates)[number];

/** What an import does with an event that the calendar has. */
export const duplicateModes = ['skip', 'overwrite', 'create-new'] as const;
export type DuplicateMode = (typeof duplicateModes)[number];

export const questionTypes = ['text', 'textarea', 'email', 'phone', 'select', 'checkbox'] as const;
export type QuestionType = (typeof questionTypes)[number];

export const bookingStatuses = ['pending', 'confirmed', 'cancelled', 'rejected'] as const;
export type BookingStatus = (typeof bookingStatuses)[number];

/** How mail of the calendar goes to an address: within the pool, over the mail relay of the node, or not at all. */
export const deliveries = ['MAIL', 'RELAY', 'NO_ROUTE'] as const;
export type Delivery = (typeof deliveries)[number];

/** Words that no booking page may have as its address. */
export const reservedSlugs = [
  'api',
  'admin',
  'app',
  'book',
  'booking',
  'conclave',
  'help',
  'login',
  'me',
  'new',
  'settings',
  'status',
  'www',
] as const;

/** Sizes and numbers of booking pages. Services import them too. */
export const bookingLimits = {
  /** pages of one member */
  pages: 50,
  /** kinds of appointments of one page */
  types: 30,
  /** windows of one kind of appointment, and days with other windows */
  windows: 100,
  overrides: 366,
  questions: 30,
  options: 50,
  /** characters of a title, a description, a question, an option and an answer */
  title: 255,
  description: 2_000,
  label: 255,
  option: 255,
  answer: 2_000,
  /** characters of the name of a guest */
  name: 100,
  guests: 10,
  seats: 500,
  /** minutes of an appointment */
  shortest: 5,
  longest: 1_440,
  /** minutes of a buffer */
  buffer: 1_440,
  /** minutes of the shortest notice */
  notice: 527_040,
  /** days ahead */
  advance: 730,
  /** days of one request for slots */
  slotDays: 62,
  /** bookings of one mail address that are not over, on one page */
  open: 3,
  /** how often an appointment changes before its guest can move it no more */
  moves: 20,
  /** bookings of one page within an hour */
  perHour: 30,
  /** milliseconds for which nobody else gets the address of a page that was deleted */
  slugKeptMs: 90 * 24 * 60 * 60 * 1000,
} as const;

/** Sizes and numbers of questions when members have time. Services import them too. */
export const schedulingLimits = {
  /** members that one request is about */
  people: 50,
  /** days of one request */
  days: 62,
  /** times that one request finds */
  found: 500,
  /** windows of working hours in a week */
  windows: 100,
  /** minutes from one begin to the next, at least, and of a meeting and a buffer, at most */
  shortest: 5,
  longest: 1_440,
} as const;

/** Sizes and numbers of calendars. Services import them too. */
export const calendarLimits = {
  /** characters of the name of a calendar */
  name: 255,
  /** characters of the description of a calendar */
  about: 2_000,
  /** calendars of one member */
  calendars: 100,
  /** members that one calendar is shared with */
  shares: 200,
  /** characters of the title of an event */
  summary: 1_024,
  /** characters of the description of an event */
  description: 65_536,
  /** characters of the place of an event */
  location: 1_024,
  /** characters of an address on the web */
  uri: 2_048,
  /** characters of a UID. Programs write up to 255 */
  uid: 1_024,
  categories: 50,
  category: 255,
  attendees: 1_000,
  /** invitations of one member that wait, and bytes of one; further ones take the place of the oldest */
  waiting: 500,
  waitingBytes: 256 * 1024,
  /** proposals and unexpected answers about one event that are not decided */
  proposals: 200,
  /** characters of what is said with an answer */
  comment: 1_000,
  reminders: 50,
  attachments: 50,
  /** dates that a series has in addition, and dates that it leaves out */
  dates: 2_000,
  /** characters of a rule */
  rule: 1_000,
  /** bytes of one event with all that was changed in it, as it is stored */
  eventBytes: MEBIBYTE,
  /** events of one calendar */
  events: 100_000,
  /** instances that one request reads */
  instances: 10_000,
  /** days that one request covers at most, about 20 years */
  rangeDays: 7_320,
  /** items of a page */
  page: 250,
  mostOnPage: 1_000,
  /** bytes of a file that is imported as a text in JSON, and as itself */
  importText: 10 * MEBIBYTE,
  importFile: 64 * MEBIBYTE,
  /** components of a file; of one with more than the second, the import goes on by itself */
  importComponents: 100_000,
  importAtOnce: 2_000,
  /** problems of an import that are named */
  importErrors: 100,
  /** calendars of one member that follow an address elsewhere */
  subscriptions: 25,
  /** bytes of what such an address answers, unpacked */
  subscriptionBytes: 10 * MEBIBYTE,
  /** hours between two readings of it */
  refreshHours: { least: 1, usual: 6, most: 720 },
  /** characters of a search */
  search: 500,
} as const;
