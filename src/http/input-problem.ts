import type { BaseIssue } from 'valibot';

/** valibot's own messages repeat what was received, which may be a secret; ours don't. */
export function messageOf(issue: BaseIssue<unknown>): string {
  if (issue.input === undefined && issue.kind === 'schema') return 'is missing';
  if (!issue.message.startsWith('Invalid ')) return issue.message;
  return issue.expected === null ? 'is not valid' : `must be ${issue.expected}`;
}
