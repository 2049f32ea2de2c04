/** A request or message that has been accepted but not answered. @publicApi */
export interface WorkInFlight {
  /** `GET /orders/7` or `message orders.create`, never with a query string. */
  readonly name: string;
  readonly ageMs: number;
}
