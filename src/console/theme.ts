import { createTheme, type MantineColorsTuple } from '@mantine/core'

const brand: MantineColorsTuple = [
  '#eef3ff',
  '#dce4f9',
  '#b7c7f2',
  '#8fa8ec',
  '#6d8de6',
  '#587ce3',
  '#3d64d8',
  '#3257c2',
  '#294bac',
  '#1f3f95',
]

/** Dark enough for white words on a button. */
const red: MantineColorsTuple = [
  '#fff5f5',
  '#ffe3e3',
  '#ffc9c9',
  '#ffa8a8',
  '#ff8787',
  '#d63939',
  '#c92a2a',
  '#b52222',
  '#9c1c1c',
  '#861717',
]

/** Dense and calm: small steps of grey, one colour, and colours of state only where there is a state. */
export const theme = createTheme({
  primaryColor: 'brand',
  primaryShade: 6,
  colors: {
    brand,
    red,
    dark: [
      '#d3d6db',
      '#b4b9c1',
      '#9aa1ab',
      '#676f7a',
      '#3b414a',
      '#2c3138',
      '#22262c',
      '#191c21',
      '#141619',
      '#0e1013',
    ],
  },
  fontFamily:
    'Inter, "SF Pro Text", "Segoe UI Variable Text", "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif',
  fontFamilyMonospace: '"JetBrains Mono", "SF Mono", "Cascadia Mono", "Roboto Mono", "DejaVu Sans Mono", monospace',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  defaultRadius: 'md',
  radius: { xs: '3px', sm: '4px', md: '6px', lg: '10px', xl: '16px' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  autoContrast: true,
  components: {
    Button: { defaultProps: { size: 'sm' } },
    // The fields of a row stand on one line, whether or not each has a description.
    InputWrapper: { defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'] } },
    TextInput: { defaultProps: { size: 'sm' } },
    // From the start of its field: centred, it widens a telephone's page until its own width is known.
    Combobox: { defaultProps: { position: 'bottom-start' } },
    Select: { defaultProps: { size: 'sm', comboboxProps: { shadow: 'md' } } },
    Tooltip: { defaultProps: { openDelay: 400, withArrow: true } },
    Modal: { defaultProps: { centered: true, overlayProps: { backgroundOpacity: 0.35 } } },
  },
})
