import type { Client, Endpoint } from './client.js';
import { Http2Client } from './http2-client.js';
import { RawConnection } from './raw-connection.js';

/** A connection that speaks what the endpoint speaks. */
export const openClient = (endpoint: Endpoint): Promise<Client> =>
  endpoint.scheme === 'h2' ? Http2Client.open(endpoint) : RawConnection.open(endpoint);
