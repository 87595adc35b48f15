import { FastResponse } from 'srvx';
import type { AddPage } from '../http/app.ts';
import type { Metrics } from './metrics.ts';

/** `/metrics`, in the text format of Prometheus. */
export function addMetrics(add: AddPage, metrics: Metrics): void {
  add('/metrics', async (headers) => {
    const { contentType, text } = await metrics.render();
    return new FastResponse(text, { headers: { ...headers, 'content-type': contentType } });
  });
}
