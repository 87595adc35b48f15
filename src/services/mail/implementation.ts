import { mailReading } from '../../contract/mail/reading.ts';
import { mailSending } from '../../contract/mail/sending.ts';
import { mailDrafts } from '../../contract/mail/drafts.ts';
import { mailRules } from '../../contract/mail/rules.ts';
import { implement } from '../../service/implement.ts';

export const mailImplementation = {
  ...implement(
    mailReading,
    () => import('./reading/lists.ts'),
    () => import('./reading/mailboxes.ts'),
    () => import('./reading/metadata.ts'),
    () => import('./reading/content.ts'),
    () => import('./reading/threads.ts'),
    () => import('./reading/attachments.ts'),
    () => import('./boxes/changes.ts'),
  ),
  ...implement(
    mailSending,
    () => import('./sending/send.ts'),
    () => import('./sending/answering.ts'),
    () => import('./sending/forwarding.ts'),
    () => import('./sending/status.ts'),
    () => import('./sending/uploads.ts'),
    () => import('./sending/raw.ts'),
    () => import('./sending/importing.ts'),
  ),
  ...implement(
    mailDrafts,
    () => import('./reading/lists.ts'),
    () => import('./sending/drafts.ts'),
  ),
  ...implement(mailRules, () => import('./rules/rules.ts')),
};
