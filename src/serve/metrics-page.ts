import type { H3 } from 'h3';
import { FastResponse } from 'srvx';
import type { Metrics } from './metrics.ts';

/** `/metrics`, in the text format of Prometheus. */
export function addMetrics(h3: H3, metrics: Metrics, headers: Readonly<Record<string, string>>): void {
  h3.get('/metrics', async () => {
    const { contentType, text } = await metrics.render();
    return new FastResponse(text, { headers: { ...headers, 'content-type': contentType } });
  });
}
