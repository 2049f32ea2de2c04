/** A request or message that has been taken and not been answered yet. @publicApi */
export interface WorkInFlight {
  /** `GET /orders/7` or `message orders.create`; never a query string. */
  readonly name: string;
  readonly ageMs: number;
}
