// Losses as the doors take them: those that the core knows, and others that Python is asked for.
#pragma once

#include <memory>

#include "data_door.hpp"

namespace greedyhull {

// A loss of Python's: a function of z that returns value, residual and curvature.
class AskedLoss : public SmoothLoss {
   public:
    AskedLoss(nb::callable fn, bool is_quadratic, bool with_intercept) : fn_(std::move(fn)) {
        quadratic = is_quadratic, intercept = with_intercept;
    }
    ~AskedLoss() override {
        nb::gil_scoped_acquire held;
        fn_.reset();
    }
    double pieces(Span<const double> z, double* r, double* c) override {
        nb::gil_scoped_acquire held;
        const std::size_t n = static_cast<std::size_t>(z.size);
        nb::ndarray<nb::numpy, const double, nb::ndim<1>> seen(z.data, {n}, nb::handle());
        nb::tuple answer = nb::cast<nb::tuple>(fn_(nb::cast(seen, nb::rv_policy::copy)));
        const auto residual = nb::cast<Vector<const double>>(answer[1]), curvature = nb::cast<Vector<const double>>(answer[2]);
        expect(residual.shape(0) == n && curvature.shape(0) == n, "a loss answered with arrays of another length");
        std::copy(residual.data(), residual.data() + n, r);
        std::copy(curvature.data(), curvature.data() + n, c);
        return nb::cast<double>(answer[0]);
    }

   private:
    nb::callable fn_;
};

// (kind, parameter, y, p), or a function.
inline std::unique_ptr<SmoothLoss> any_loss(const nb::object& given, Index n, bool quadratic, bool intercept, nb::list& alive) {
    if (nb::isinstance<nb::tuple>(given)) return named_loss(nb::cast<nb::tuple>(given), n, intercept, alive);
    return std::make_unique<AskedLoss>(nb::cast<nb::callable>(given), quadratic, intercept);
}

}  // namespace greedyhull
