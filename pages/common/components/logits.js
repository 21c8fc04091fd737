// Takes the logits of a prompt to the browser once: 8 bytes of key, 8 bytes whose first says float32 or float64 (4 or
// 8), then the logits in falling order. Other components find them by the key, now or when the event comes.
const MOST = 8; // prompts that are kept

export default function ({ data }) {
  if (!data) return;
  const bytes = new Uint8Array(data.buffer ?? data, data.byteOffset ?? 0, data.byteLength).slice();
  const key = Array.from(bytes.subarray(0, 8), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const known = (globalThis.loopscopeLogits ??= new Map());
  if (!known.has(key)) {
    known.set(key, bytes[8] === 4 ? new Float32Array(bytes.buffer, 16) : new Float64Array(bytes.buffer, 16));
    if (known.size > MOST) known.delete(known.keys().next().value);
  }
  document.dispatchEvent(new CustomEvent("loopscope-logits", { detail: key }));
}
