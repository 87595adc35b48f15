import { mailDrafts } from './mail/drafts.ts';
import { mailReading } from './mail/reading.ts';
import { mailRules } from './mail/rules.ts';
import { mailSending } from './mail/sending.ts';

/** E-mail of members, prefix `/api/emails`. */
export const mail = { ...mailReading, ...mailSending, ...mailDrafts, ...mailRules };
