import type { BaseIssue } from 'valibot';

/** Our own message. valibot's messages repeat the received value, which may be a secret. */
export function messageOf(issue: BaseIssue<unknown>): string {
  if (issue.input === undefined && issue.kind === 'schema') return 'is missing';
  if (!issue.message.startsWith('Invalid ')) return issue.message;
  return issue.expected === null ? 'is not valid' : `must be ${issue.expected}`;
}
