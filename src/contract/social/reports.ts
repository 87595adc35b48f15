import * as v from 'valibot';
import { operation } from '../operation.ts';
import { paged } from '../page.ts';
import { actorField, memberId, paragraph, recordId, timestamp } from '../text.ts';
import { socialLimits } from './limits.ts';
import { visible } from '../shown-text.ts';

export const reportStates = ['pending', 'reviewed', 'dismissed', 'actioned'] as const;
export type ReportState = (typeof reportStates)[number];

const report = v.object({
  _id: recordId,
  postId: recordId,
  reporterId: memberId,
  reason: v.string(),
  hubId: v.optional(recordId),
  status: v.picklist(reportStates),
  createdAt: timestamp,
  reviewedBy: v.optional(memberId),
  reviewedAt: v.optional(timestamp),
});
export type Report = v.InferOutput<typeof report>;

/** Reports of posts, prefix `/api/social/posts`. */
export const reports = {
  reportPost: operation({
    id: 'social.report-post',
    method: 'POST',
    path: '/api/social/posts/:id/report',
    envelope: 'social',
    auth: 'member',
    summary: 'Report a post to those who moderate it',
    description: 'A report of a repost is one of the post itself. A member can have one open report of a post.',
    input: v.object({
      id: recordId,
      userId: actorField,
      reason: v.pipe(paragraph(socialLimits.reportReason), v.trim(), v.minLength(1, 'must not be empty'), visible),
      hubId: v.optional(
        v.pipe(
          recordId,
          v.description(
            'a hub of the post, whose moderators review the report; it can be missing unless you know of several hubs of the post',
          ),
        ),
      ),
    }),
    reply: v.object({ report }),
    status: 200,
    creates: true,
    message: 'Post reported',
    errors: ['POST_NOT_FOUND', 'ALREADY_REPORTED'],
  }),
  listReports: operation({
    id: 'social.reports',
    method: 'GET',
    path: '/api/social/posts/reports',
    envelope: 'social',
    auth: 'member',
    summary: 'List reports, the oldest first',
    description:
      'Administrators see all reports, moderators of a hub those of the hub, and everybody their own. Posts are named by their id alone.',
    ...paged({
      name: 'reports',
      of: report,
      filter: {
        status: v.optional(v.picklist(reportStates, `must be one of ${reportStates.join(', ')}`), 'pending'),
        hubId: v.optional(recordId),
      },
      limit: 50,
    }),
    status: 200,
    message: 'Reports',
  }),
  reviewReport: operation({
    id: 'social.review-report',
    method: 'POST',
    path: '/api/social/posts/reports/:reportId/review',
    envelope: 'social',
    auth: 'member',
    summary: 'Close a report',
    description:
      'For administrators, and for the moderators of its hub. `action` says that something was done about it; what was done is up to the reviewer.',
    input: v.object({
      reportId: recordId,
      reviewerId: actorField,
      action: v.picklist(['dismiss', 'action'], 'must be dismiss or action'),
    }),
    reply: v.object({ report }),
    status: 200,
    message: 'Report actioned',
    outcomes: {
      others: [{ status: 200, message: 'Report dismissed' }],
      of: (reply) => (reply.report.status === 'dismissed' ? { status: 200, message: 'Report dismissed' } : undefined),
    },
    errors: ['FORBIDDEN', 'REPORT_NOT_FOUND', 'REPORT_CLOSED'],
  }),
};
