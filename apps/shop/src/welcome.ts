export const welcome = (url: string): string => `
Shop listens on ${url}

Fill a cart, order it, look at the statistics:

  curl ${url}/carts/alice/items -H 'content-type: application/json' -d '{"sku":"tea","quantity":2}'
  curl -X POST ${url}/carts/alice/checkout
  curl ${url}/stats

All routes, to try out in a browser: ${url}/api
Ctrl+C stops it. Try that right after an order, while it is being shipped.
`;
