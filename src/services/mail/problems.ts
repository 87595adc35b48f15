import { Problem } from '../../base/problem.ts';

/** One answer for messages that don't exist and for callers who may not know of them. */
export function emailNotFound(): Problem {
  return new Problem('missing', 'EMAIL_NOT_FOUND', 'There is no such message.');
}

export function uploadNotFound(): Problem {
  const words = 'There is no such upload, or it was sent or has expired. Upload the attachment again.';
  return new Problem('missing', 'EMAIL_UPLOAD_NOT_FOUND', words);
}

export function attachmentNotFound(): Problem {
  return new Problem('missing', 'EMAIL_ATTACHMENT_NOT_FOUND', 'The message has no such attachment.');
}

export function notPending(): Problem {
  const words = 'The message has left for a recipient, so it cannot be taken back.';
  return new Problem('conflict', 'EMAIL_NOT_PENDING', words);
}
