import type { Client, Endpoint } from './client.js';
import { Http2Client } from './http2-client.js';
import { RawConnection } from './raw-connection.js';

/** Opens a connection with the protocol of the endpoint. */
export const openClient = (endpoint: Endpoint): Promise<Client> =>
  endpoint.scheme === 'h2' ? Http2Client.open(endpoint) : RawConnection.open(endpoint);
