// The page has one form, and it is on its way elsewhere; without scripts its button is pressed by hand.
document.querySelector('form[data-submit]').submit()
