// The stepper alone, for a screen that draws the step itself.
export default function ({ data, parentElement, setStateValue }) {
  return stepper(rootOf(parentElement, "timeline"), data, setStateValue, () => {});
}
