import { errorCodes, type ErrorCode } from '../contract/error-codes.ts';
import { problemKinds, type Problem } from './problem.ts';

/** The HTTP status of a problem. */
export function statusOf({ code, kind }: Pick<Problem, 'code' | 'kind'>): number {
  return Object.hasOwn(errorCodes, code) ? errorCodes[code as ErrorCode].status : problemKinds[kind].http;
}

const codes: Readonly<Record<number, string>> = {
  400: 'VALIDATION_ERROR',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'ALREADY_EXISTS',
  410: 'GONE',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'RATE_LIMITED',
  500: 'INTERNAL_ERROR',
  502: 'SERVICE_UNAVAILABLE',
  503: 'SERVICE_UNAVAILABLE',
  507: 'SERVICE_UNAVAILABLE',
};

/**
 * `error.code` of the social network, notifications, chat and frames of sockets: the few codes of their interface document, by the HTTP
 * status. `error.reason` says more.
 */
export function codeOfStatus(status: number): string {
  return codes[status] ?? (status >= 500 ? 'INTERNAL_ERROR' : 'VALIDATION_ERROR');
}
