// A file may be dropped anywhere: it is handed to the uploader in the sidebar, which has a place of its own for drops.
const TEXT = "Drop the file to open its run";
const uploader = () => document.querySelector("[data-testid=stSidebar] input[type=file]");

export default function ({ data, parentElement, setTriggerValue }) {
  const veil = rootOf(parentElement, "veil");
  veil.textContent = TEXT;
  veil.popover = "manual"; // in the top layer, above what the sidebar clips
  const show = (on) => veil.isConnected && veil.togglePopover(on);

  const listening = listensAnew(veil);
  const listen = (type, act) => document.addEventListener(type, (event) => {
    if (event.dataTransfer?.types.includes("Files") && uploader()) act(event);
  }, { signal: listening.signal });
  listen("dragover", (event) => {
    event.preventDefault();
    show(true);
  });
  listen("dragleave", (event) => {
    if (!event.relatedTarget) show(false); // it has left the window
  });
  listen("drop", (event) => {
    show(false);
    if (event.target.closest("[data-testid=stFileUploaderDropzone]")) return;
    event.preventDefault();
    const file = event.dataTransfer.files[0];
    if (!file) return;
    // The uploader would refuse it in the sidebar, where nobody looks, or sees it.
    if (file.size > data.most) return setTriggerValue("refused", { name: file.name, size: file.size });
    const input = uploader();
    const first = new DataTransfer();
    first.items.add(file);
    input.files = first.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });
  return () => {
    show(false);
    listening.abort();
  };
}
