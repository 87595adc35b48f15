import { wholeNumber } from '../../../base/whole-number.ts';

/** What can go wrong with a link. The page has words for each. */
export type FailureKind =
  | 'password-required'
  | 'password-wrong'
  | 'not-found'
  | 'revoked'
  | 'destroyed'
  | 'keys-lost'
  | 'too-many'
  /** of the link itself */
  | 'key-missing'
  | 'key-wrong'
  /** the key that a person entered */
  | 'entered-no-key'
  | 'entered-other-key'
  | 'damaged'
  | 'changed'
  | 'network'
  | 'server'
  | 'cancelled'
  | 'disk'
  | 'not-begun'
  | 'insecure'
  | 'no-way';

/** As data, because errors lose their class between a page and its worker. */
export interface Failed {
  readonly kind: FailureKind;
  readonly retryAfterSeconds?: number | undefined;
}

export class LinkFailure extends Error {
  override readonly name = 'LinkFailure';
  readonly failed: Failed;

  constructor(kind: FailureKind, retryAfterSeconds?: number) {
    super(kind);
    this.failed = { kind, retryAfterSeconds };
  }
}

export function failedOf(error: unknown): Failed {
  return error instanceof LinkFailure ? error.failed : { kind: 'server' };
}

const kindOfCode: Readonly<Record<string, FailureKind>> = {
  LINK_PASSWORD_REQUIRED: 'password-required',
  LINK_PASSWORD_WRONG: 'password-wrong',
  LINK_REVOKED: 'revoked',
  FILE_DESTROYED: 'destroyed',
  FILE_KEYS_LOST: 'keys-lost',
  LINK_NOT_FOUND: 'not-found',
};

/** What an answer of the server means that is no success. */
export async function failureOf(answer: Response): Promise<LinkFailure> {
  const body = (await answer.json().catch(() => undefined)) as { error?: unknown } | undefined;
  const known = typeof body?.error === 'string' ? kindOfCode[body.error] : undefined;
  const retryAfter = wholeNumber(answer.headers.get('retry-after') ?? '');
  if (known !== undefined) return new LinkFailure(known);
  if (answer.status === 429) return new LinkFailure('too-many', retryAfter);
  if (answer.status === 404 || answer.status === 400) return new LinkFailure('not-found');
  if (answer.status === 410) return new LinkFailure('revoked');
  return new LinkFailure('server', retryAfter);
}
