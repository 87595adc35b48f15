import * as v from 'valibot';
import { operation } from '../operation.ts';
import { paged } from '../page.ts';
import { actorField, memberId, paragraph, recordId, timestamp } from '../text.ts';
import { visible } from '../shown-text.ts';
import { messageLimits } from './messages/limits.ts';
import { reportStates } from './reports.ts';

const root = '/api/social/messages';

const messageReport = v.object({
  _id: recordId,
  messageId: recordId,
  conversationId: recordId,
  senderId: memberId,
  reporterId: memberId,
  reason: v.string(),
  content: v.pipe(
    v.nullable(v.string()),
    v.description(
      'the message as it was when it was reported; null if the conversation is gone, or what is stored is damaged',
    ),
  ),
  status: v.picklist(reportStates),
  createdAt: timestamp,
  reviewedBy: v.optional(memberId),
  reviewedAt: v.optional(timestamp),
});
export type MessageReport = v.InferOutput<typeof messageReport>;

/** Reports of messages, prefix `/api/social/messages`. */
export const messageReports = {
  reportMessage: operation({
    id: 'social.report-message',
    method: 'POST',
    path: `${root}/:messageId/report`,
    envelope: 'social',
    auth: 'member',
    summary: 'Report a message to the administrators',
    description:
      'The report keeps the message as it is now, whatever its sender does to it later. A member can have one open report of a message.',
    input: v.object({
      messageId: recordId,
      userId: actorField,
      reason: v.pipe(paragraph(messageLimits.reportReason), v.trim(), v.minLength(1, 'must not be empty'), visible),
    }),
    reply: v.object({}),
    status: 200,
    creates: true,
    message: 'Message reported',
    errors: ['FORBIDDEN', 'MESSAGE_NOT_FOUND', 'MESSAGE_ALREADY_REPORTED'],
  }),
  listMessageReports: operation({
    id: 'social.message-reports',
    method: 'GET',
    path: `${root}/reports`,
    envelope: 'social',
    auth: { any: ['admin'] },
    summary: 'List reports of messages, the oldest first',
    description: 'For administrators. They see what was reported, and nothing else of the conversation.',
    ...paged({
      name: 'reports',
      of: messageReport,
      filter: {
        status: v.optional(v.picklist(reportStates, `must be one of ${reportStates.join(', ')}`), 'pending'),
      },
      limit: 50,
      end: 'null',
    }),
    status: 200,
    message: 'Reports',
  }),
  reviewMessageReport: operation({
    id: 'social.review-message-report',
    method: 'POST',
    path: `${root}/reports/:reportId/review`,
    envelope: 'social',
    auth: { any: ['admin'] },
    summary: 'Close a report of a message',
    description: '`action` says that something was done about it; what was done is up to the reviewer.',
    input: v.object({
      reportId: recordId,
      reviewerId: actorField,
      action: v.picklist(['dismiss', 'action'], 'must be dismiss or action'),
    }),
    reply: v.object({ report: messageReport }),
    status: 200,
    message: 'Report actioned',
    outcomes: {
      others: [{ status: 200, message: 'Report dismissed' }],
      of: (reply) => (reply.report.status === 'dismissed' ? { status: 200, message: 'Report dismissed' } : undefined),
    },
    errors: ['FORBIDDEN', 'REPORT_NOT_FOUND', 'REPORT_CLOSED'],
  }),
};
