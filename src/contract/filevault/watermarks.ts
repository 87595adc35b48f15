import * as v from 'valibot';
import { uploadOperation } from '../operation.ts';
import { memberId, recordId, timestamp } from '../text.ts';
import { filevaultLimits } from './limits.ts';

const access = v.object({
  id: v.pipe(v.string(), v.description('what the watermark says: 16 hexadecimal digits')),
  fileId: recordId,
  versionId: recordId,
  vaultContainerId: recordId,
  memberId,
  username: v.optional(v.string()),
  address: v.string(),
  at: timestamp,
});
export type WatermarkFound = v.InferOutput<typeof access>;

export const watermarks = {
  readWatermark: uploadOperation({
    id: 'filevault.read-watermark',
    method: 'POST',
    path: '/filevault/watermark/read',
    envelope: 'filevault',
    auth: 'member',
    summary: 'Find out whose preview a text or image is from',
    description:
      'The body is the text, or an image as PNG, BMP or lossless WebP. For those who may administer the file: others get the answer for no watermark. Parts and crops of an image are enough, and a text that was copied; JPEG, scaling and screenshots of text take it away.',
    input: v.object({}),
    reply: v.object({ accesses: v.array(access) }),
    status: 200,
    message: 'Watermark read',
    errors: ['WATERMARK_NOT_FOUND', 'OVERLOADED', 'PAYLOAD_TOO_LARGE'],
    accepts: ['*/*'],
    maxBody: filevaultLimits.watermarkBytes,
  }),
};
