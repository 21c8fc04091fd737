// What the pictures of the screen on chains share.
const wide = (share) => `width:${(100 * share).toFixed(2)}%`;
const place = (share) => `left:${(100 * share).toFixed(2)}%`;
